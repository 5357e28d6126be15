/** Runs a property of fast-check. The first line of a failure shows how to run it again. */
import fc from 'fast-check'

/** Milliseconds a test of a long form may take. */
export const longest = 4 * 3_600_000

/** Where a failing case lies among those that a seed makes. */
const path = process.env['VARVE_PATH']

export const replaying = path !== undefined

export const seed = Number(process.env['VARVE_SEED'] ?? 20_260_101)

/**
 * @param title Part of the name of the test, by which it can be picked.
 * @throws Error that begins with the line that replays the shortest failing case.
 */
export async function holds<T extends [unknown, ...unknown[]]>(
  title: string,
  property: fc.IAsyncProperty<T>,
  numRuns: number,
): Promise<void> {
  const parameters = { numRuns, seed, ...(path !== undefined && { path, endOnFailure: true }) }
  const details = await fc.check(property, parameters)
  if (!details.failed) return
  const replay = `VARVE_SEED=${details.seed} VARVE_PATH=${details.counterexamplePath} npx vitest run test/model -t '${title}'`
  const error = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance)
  throw new Error(
    `${replay}\n${error}\n${fc.stringify(details.counterexample)}\n(run ${details.numRuns}, shortened ${details.numShrinks} times)`,
    {
      cause: details.errorInstance,
    },
  )
}
