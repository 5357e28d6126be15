/** What a request in progress keeps open for later requests, which name it. */

export class OpenHandles<T> {
  readonly #open = new Map<string, T>()

  /** Returns a name that no other program can guess. */
  add(value: T): string {
    const name = crypto.randomUUID()
    this.#open.set(name, value)
    return name
  }

  get(name: string): T | undefined {
    return this.#open.get(name)
  }

  delete(name: string | undefined): void {
    if (name !== undefined) this.#open.delete(name)
  }
}
