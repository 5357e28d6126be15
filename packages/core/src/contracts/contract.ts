/**
 * A contract is a list of cases, as data: no test runner is known here, so any runner, in any place, can prove an
 * adapter with a loop over the list. Every case gets a fresh, empty subject and closes whatever it opened.
 */

export interface ContractCase<Open> {
  /** A promise the port makes, readable as the title of a test. */
  readonly name: string
  /** Rejects with an `Error` that names the broken promise. */
  run(open: Open): Promise<void>
}

/** A fresh, empty instance, and a way to come back to the same medium. */
export interface Reopenable<T> {
  readonly instance: T
  /** Opens the same medium again; only called when every earlier instance was closed. */
  reopen(): Promise<T>
}

/** Opens a medium for this test alone. The caller removes it afterwards. */
export type OpenFresh<T> = () => Promise<Reopenable<T>>

/** What the body of a case works with: `now` is the instance that is open at the moment. */
export interface Subject<T> {
  readonly now: T
  /** Closes the present instance and opens the medium again. */
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
