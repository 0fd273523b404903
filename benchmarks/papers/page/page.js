"use strict";

// Shows the lines with an entry of the chosen protocol and verdict; other entries step back.
const form = document.querySelector("form");

function choose() {
  const { paper, protocol, verdict } = Object.fromEntries(new FormData(form));
  const chosen = Boolean(paper || protocol || verdict);
  let shown = 0;
  for (const section of document.querySelectorAll("[data-paper]")) {
    section.hidden = Boolean(paper) && section.dataset.paper !== paper;
    for (const sheet of section.querySelectorAll(".sheet")) {
      let n = 0;
      for (const row of sheet.querySelectorAll("tbody tr")) {
        let fits = !protocol && !verdict;
        for (const cell of row.querySelectorAll("[data-verdict]")) {
          const own = (!protocol || cell.dataset.protocol === protocol)
            && (!verdict || cell.dataset.verdict === verdict);
          cell.classList.toggle("aside", !own);
          fits ||= own;
        }
        row.hidden = !fits;
        n += fits;
      }
      sheet.hidden = n === 0;
      sheet.open = chosen && n > 0;
      shown += section.hidden ? 0 : n;
    }
    for (const table of section.querySelectorAll("[data-table]")) {
      table.hidden = !table.querySelector(".sheet:not([hidden])");
    }
  }
  form.querySelector("output").textContent = chosen ? `${shown.toLocaleString("en")} lines` : "";
}

if (form) {
  form.hidden = false;
  form.addEventListener("change", choose);
  form.addEventListener("reset", () => setTimeout(choose));
}
