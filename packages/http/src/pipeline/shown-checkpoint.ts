/** The checkpoint that a server shows: signed at most once a second, because each signature costs a write. */
const keptMs = 1000

export class ShownCheckpoint {
  readonly #now: () => number
  #text: Promise<string> | undefined
  #until = 0

  constructor(now: () => number) {
    this.#now = now
  }

  text(sign: () => Promise<string>): Promise<string> {
    const now = this.#now()
    // A clock that was set back must not keep a checkpoint for longer.
    const isKept = now < this.#until && now >= this.#until - keptMs
    if (this.#text !== undefined && isKept) return this.#text
    const text = sign()
    this.#text = text
    this.#until = now + keptMs
    text.catch(() => {
      if (this.#text === text) this.#text = undefined
    })
    return text
  }
}
