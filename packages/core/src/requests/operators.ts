/** The servers of this process, as who runs them: their root. */
import type { Actor } from '../events/index.ts'

/** One server. */
export interface ServingOperator {
  /** From now on this is its root; `undefined` if it has none. */
  is(root: Actor | undefined): void
  /** It serves no more. */
  end(): void
}

export class Operators {
  readonly #roots = new Map<ServingOperator, Actor | undefined>()

  add(): ServingOperator {
    const operator: ServingOperator = {
      is: (root) => {
        if (this.#roots.has(operator)) this.#roots.set(operator, root)
      },
      end: () => void this.#roots.delete(operator),
    }
    this.#roots.set(operator, undefined)
    return operator
  }

  /** The root of the server that began first of those that have one. */
  get root(): Actor | undefined {
    for (const root of this.#roots.values()) if (root !== undefined) return root
    return undefined
  }
}
