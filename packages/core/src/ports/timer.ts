/** Waiting. Without one, background work runs as fast as it can. */
export interface Timer {
  /** Resolves after so many milliseconds, or rejects with the signal's reason when it aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}
