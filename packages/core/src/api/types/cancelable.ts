/** What every call that takes time can be given. */

export interface Cancelable {
  /** Gives up as soon as it can; what was already decided stays. */
  readonly signal?: AbortSignal
}
