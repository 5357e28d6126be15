/** Which replicas a restore asked, and what they had. */
import { type ErrorCode, isStorageError, type JoinedReplicas } from '@varve/core'
import type { OpenedReplicas } from '../replicas/open-replicas.ts'

/** A replica that a restore asked. */
export interface UsedReplica {
  /** Its address without parameters. */
  readonly from: string
  /** Its last event. 0 if it could not be read. */
  readonly head: number
  /** How often it lacked something, or had it damaged, and the next replica was asked. */
  readonly failures: number
  /** Why it was not used. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}

/** The replica that reaches furthest is the first one; those that were not used are the last. */
export const usedReplicas = (
  { failures }: Pick<OpenedReplicas, 'failures'>,
  joined: JoinedReplicas,
): readonly UsedReplica[] => [
  ...joined.replicas.map(({ name, reader }) => ({
    from: name,
    head: reader.state.head,
    failures: joined.failuresOf(name),
  })),
  ...failures.map(({ from, error }) => ({
    from,
    head: 0,
    failures: 0,
    error: { code: error.code, message: error.message },
  })),
]

/** The error of the first replica, if none can be used. */
export function assertAnyOpen({ replicas, failures }: OpenedReplicas): void {
  const [failure] = failures
  if (replicas.length === 0 && failure !== undefined && isStorageError(failure.error)) throw failure.error
}
