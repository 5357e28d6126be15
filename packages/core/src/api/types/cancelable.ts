/** The options of every call that takes time. */

export interface Cancelable {
  /** Cancels the call as soon as possible. A command that was already decided stays committed. */
  readonly signal?: AbortSignal
}
