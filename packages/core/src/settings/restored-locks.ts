/** The locks that a restore sets: those a version had, where they are stronger than those it has. */
import type { Annotations } from './annotation.ts'

type Locks = Pick<Annotations, 'retention' | 'legalHold'>

/** Only what must be set. A retention that has ended, or is shorter or weaker than the present one, is left out. */
export function strongerLocks(has: Locks, had: Locks, at: number): Locks {
  const { retention, legalHold } = had
  const isHeld = legalHold === 'ON' && has.legalHold !== 'ON'
  return {
    ...(retention !== undefined && retention.until > at && isStronger(retention, has.retention, at) && { retention }),
    ...(isHeld && { legalHold }),
  }
}

function isStronger(next: NonNullable<Locks['retention']>, existing: Locks['retention'], at: number): boolean {
  if (existing === undefined || existing.until <= at) return true
  return next.until > existing.until && (next.mode === existing.mode || next.mode === 'COMPLIANCE')
}
