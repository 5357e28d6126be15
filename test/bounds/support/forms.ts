/** Two forms: a short one in every run of the tests, and the long one of `npm run suite bounds`. */
import { it } from 'vitest'
import { unmeasurable } from './process-figures.ts'

const long = process.env['VARVE_BOUNDS'] === 'long'

export const mib = 2 ** 20

/** The size of this form. */
export const sized = (short: number, whole: number): number => (long ? whole : short)

const timeout = long ? 900_000 : 90_000

/**
 * A test that measures a process. Where that is not possible, or for the reason given, it prints why and does nothing.
 */
export function measured(promise: string, keeps: () => Promise<void>, why = unmeasurable): void {
  it(promise, { timeout }, async () => {
    if (why === undefined) return keeps()
    if (process.env['VARVE_FAULTS'] === 'required') throw new Error(why)
    console.log(`Skipped: ${why}`)
  })
}

/** Prints what was measured. */
export const report = (what: string): void => console.log(`bounds: ${what}`)
