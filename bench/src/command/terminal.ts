/** What the command that runs a bench gives it: where results, progress and words for people go. */
export interface Terminal {
  readonly output: {
    line(text: string): Promise<void>
    json(value: unknown): Promise<void>
  }
  readonly progress: {
    show(label: string, progress: { readonly done: number; readonly total: number }): void
    /** Takes the line away, so that what follows starts on a clean one. */
    clear(): void
  }
  /** Aborts when the process receives a signal to end. */
  readonly signal: AbortSignal
  /** A word for people, on standard error. */
  note(text: string): void
}
