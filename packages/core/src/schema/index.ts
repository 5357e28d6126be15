/** Schemas for checking values at run time, for the packages that use core. @module */
export { answerBounds, type Bounds, checked, type Infer, type JsonSchema, Mismatch, type Schema } from './schema.ts'
export { abortSignal, boolean, callable, date, implementing, integer, literal, number, text, word } from './scalars.ts'
export { listener } from './listener.ts'
export { array, either, type FieldsOf, object, objectWith, optional, pair, record, tagged } from './structures.ts'
export { type Json, json } from './json.ts'
export { nearestOf } from './nearest.ts'
