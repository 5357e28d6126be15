/**
 * Tries calls to a file system again that fail for a moment: on Windows, a scanner or an indexer that has a file open makes renaming,
 * removing and opening it fail.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { errnoOf } from './errno.ts'

/** How time passes between two attempts. */
export interface Patience {
  /** Milliseconds since some moment, which never run backwards. @default performance.now */
  readonly now?: (() => number) | undefined
  /** Waits so many milliseconds. @default a timer, which keeps the process alive as the call that it waits for does */
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined
}

/** These are mostly permanent errors, so each costs about a third of a second at most. */
const pausesMs = [10, 20, 40, 80, 160]
/** A machine that is slow does not multiply that. */
const limitMs = 1000

const transient: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES'])
/** `EPERM` also says that a file system has no links: then bytes are copied, at once. */
export const transientOfLinks: ReadonlySet<string> = new Set(['EBUSY'])

/** Node removes a folder after it could not unlink it: what it says then of a file that was busy is that. */
export const transientOfRemovals: ReadonlySet<string> = new Set([...transient, 'ENOTDIR', 'ENOTEMPTY'])

interface Attempts extends Patience {
  /** The codes of errors that may pass. */
  readonly codes?: ReadonlySet<string>
  /** The code of an error. @default its property `code` */
  readonly codeOf?: (error: unknown) => string
}

export type Call = (...args: never[]) => Promise<unknown>

const patientCalls = new WeakSet<Call>()

/** The same function, with further attempts. One that has them stays as it is. The last error is thrown as it is. */
export function patiently<F extends Call>(call: F, how: Attempts = {}): F {
  if (patientCalls.has(call)) return call
  const again = (...args: never[]): Promise<unknown> => attempts(() => call(...args), how)
  patientCalls.add(again)
  return again as F
}

/** `call`, which calls `inner` once: it has further attempts if `inner` has them. */
export function patientAs<F extends Call>(inner: F, call: F): F {
  if (patientCalls.has(inner)) patientCalls.add(call)
  return call
}

async function attempts<T>(call: () => Promise<T>, how: Attempts): Promise<T> {
  const { codes = transient, codeOf = errnoOf, now = () => performance.now(), pause = delay } = how
  let since: number | undefined
  let attempt = 0
  let refused: string | undefined
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!codes.has(codeOf(error))) throw error
      const message = (error as Partial<Error>).message
      // A call that touches several files came further: the next one may be busy just as long.
      if (message !== refused) attempt = 0
      refused = message
      const ms = pausesMs[attempt++]
      since ??= now()
      if (ms === undefined || now() - since + ms > limitMs) throw error
      await pause(ms)
    }
  }
}
