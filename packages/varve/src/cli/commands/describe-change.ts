import type { RestoreEntry } from '@varve/core'
import { printable } from '../support/printable.ts'

const signs = { add: '+', annotate: '~', remove: '-' } as const

/** What a restore or a merge does with a key, in one line for people. */
export function describeChange({ key, action, past, present, aspects }: RestoreEntry): string {
  const size = (past ?? present)?.size ?? 0
  return [`${signs[action]} ${printable(key)}`, [`${size} bytes`, ...aspects].join(', ')].join('  ')
}
