/**
 * Epochs of a log. A store that was restored to an earlier position begins one, so that no id of the events that it lost
 * is given out again: see docs/adr/0067-epochs.md.
 */

/** 40 random bits, as eight digits of base 32. Events before the first epoch have none. */
export type Epoch = string

export const epochDigits = 8

export const epochForm = /^[0-9a-hjkmnp-tv-z]{8}$/

/** The position of an event, and the epoch in which it was recorded: together they name one event of all branches of a log. */
export interface EventPlace {
  readonly seq: number
  readonly epoch: Epoch | undefined
}
