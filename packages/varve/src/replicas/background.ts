/** Work that goes on beside the copying of what is new, so that neither waits for the other. */

/** One run at a time of work that is begun again and again. */
export class Background {
  readonly #work: (signal: AbortSignal) => Promise<void>
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#work = work
  }

  /** Begins a run, if none is on its way. */
  begin(): void {
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  /** @throws what a run threw */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Interrupts the run, and waits for its end. */
  async end(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    try {
      await this.#work(signal)
    } catch (error) {
      if (!signal.aborted) this.#failure ??= { error }
    }
  }
}
