/** The output of a bench: results, progress and texts for people. The command that runs the bench provides it. */
export interface Terminal {
  readonly output: {
    line(text: string): Promise<void>
    json(value: unknown): Promise<void>
  }
  readonly progress: {
    show(label: string, progress: { readonly done: number; readonly total: number }): void
    /** Clears the progress line, so that the next output starts on an empty line. */
    clear(): void
  }
  /** Aborts when the process receives a signal to end. */
  readonly signal: AbortSignal
  /** Prints a text for people on standard error. */
  note(text: string): void
}
