/** A mistake in the command line. `varve` recognises it by its `name`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
