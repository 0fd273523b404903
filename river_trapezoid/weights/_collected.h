/* Types of Cython that hold objects of which Cython knows nothing. */

#ifndef RIVER_TRAPEZOID_COLLECTED_H
#define RIVER_TRAPEZOID_COLLECTED_H

#include <Python.h>

/* What the garbage collector does with the attributes of a type, before `collect`. */
typedef struct {
    traverseproc traverse;
    inquiry clear;
} Collected;

static Collected collected;

/* Have the garbage collector do something else with a type. */
static inline void collect(PyTypeObject *type, traverseproc traverse, inquiry clear)
{
    collected = (Collected){type->tp_traverse, type->tp_clear};
    type->tp_traverse = traverse;
    type->tp_clear = clear;
}

#endif
