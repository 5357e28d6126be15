/** What was asked for cannot be run: a mistake in the command line. `varve` knows it by its name. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
