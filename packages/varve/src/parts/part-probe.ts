/**
 * Asks a part of a store whether it answers. However often it is called, at most one question is on its way, and nothing waits
 * longer than the deadline: a database that stands still is asked once, and all who want to know get the answer of that.
 */
import { isStorageError } from '@varve/core'
import type { FailingPart } from '@varve/http'

export interface PartProbeOptions {
  /** The question. It resolves if the part answers. */
  ask(): Promise<unknown>
  /** Milliseconds since the part answered anything else. Absent: only the question shows whether it answers. */
  sinceAnswer?(): number
  /** The code of errors that have none, and of a question without an answer. */
  readonly code: string
  /** A monotonic clock, in milliseconds. @default that of the machine */
  readonly now?: () => number
}

/** How long an answer counts, in milliseconds. */
const validMs = 1000
/** How long a part may take, in milliseconds. */
const deadlineMs = 1000

/** Why a part does not answer. */
export type PartProblem = Pick<FailingPart, 'code' | 'kind'>

/** Resolves with the problem of a part that does not answer, or with `undefined`. Never rejects. */
export type PartProbe = () => Promise<PartProblem | undefined>

export function partProbe({ ask, sinceAnswer, code, now = () => performance.now() }: PartProbeOptions): PartProbe {
  let known: { readonly at: number; readonly problem: PartProblem | undefined } | undefined
  let asking: { readonly since: number; readonly answer: Promise<PartProblem | undefined> } | undefined

  function begin() {
    const since = now()
    const answer = Promise.resolve()
      .then(ask)
      .then(
        () => undefined,
        (error: unknown) => problemOf(error, code),
      )
      .then((problem) => {
        known = { at: now(), problem }
        asking = undefined
        return problem
      })
    return { since, answer }
  }

  return () => {
    // Also while a question waits: its connection can be broken, and others not.
    if (sinceAnswer !== undefined && sinceAnswer() < validMs) return Promise.resolve(undefined)
    if (known !== undefined && asking === undefined && now() - known.at < validMs) return Promise.resolve(known.problem)
    asking ??= begin()
    return withDeadline(asking.answer, asking.since + deadlineMs - now(), { code })
  }
}

/** Without the message, which could have an address. A kind can be a text of another server. */
function problemOf(error: unknown, code: string): PartProblem {
  if (!isStorageError(error)) return { code }
  const { kind } = error.details
  return { code: error.code, ...(typeof kind === 'string' && /^\w{1,64}$/.test(kind) && { kind }) }
}

/** The answer, or `late` if there is none after so many milliseconds. */
function withDeadline<T>(answer: Promise<T>, ms: number, late: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), Math.max(ms, 0))
    void answer.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}
