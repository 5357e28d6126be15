/**
 * A contract is a list of cases, as data. It depends on no test runner: any runner can test an adapter with a loop over
 * the list. Every case gets a fresh, empty subject and closes everything that it opened.
 */

export interface ContractCase<Open> {
  /** A promise of the port, readable as the title of a test. */
  readonly name: string
  /** Rejects with an `Error` that names the broken promise. */
  run(open: Open): Promise<void>
}

/** A fresh, empty instance, and a function that opens the same medium again. */
export interface Reopenable<T> {
  readonly instance: T
  /** Opens the same medium again. It is called only after every earlier instance was closed. */
  reopen(): Promise<T>
}

/** Opens a medium for this case only. The caller removes it afterwards. */
export type OpenFresh<T> = () => Promise<Reopenable<T>>

/** What a case works with: `now` is the instance that is currently open. */
export interface Subject<T> {
  readonly now: T
  /** Closes the current instance and opens the medium again. */
  reopen(): Promise<T>
}

export function contractCase<T extends { close(): Promise<void> }>(
  name: string,
  body: (subject: Subject<T>) => Promise<void>,
): ContractCase<OpenFresh<T>> {
  return {
    name,
    async run(open) {
      const medium = await open()
      let now = medium.instance
      const subject: Subject<T> = {
        get now() {
          return now
        },
        async reopen() {
          await now.close()
          now = await medium.reopen()
          return now
        },
      }
      try {
        await body(subject)
      } finally {
        await now.close()
      }
    },
  }
}
