import type { BlobFault } from '../content/check-content.ts'
import type { DamagedPart, Heal } from '../content/damaged-bytes.ts'
import type { NamedBlob } from './naming-rows.ts'

/** Has the damage of a blob healed, if that is possible. */
export async function wasHealed(heal: Heal | undefined, named: NamedBlob, { kind }: BlobFault): Promise<boolean> {
  if (heal === undefined) return false
  const { blob, sealed, seq, mayBeErased } = named
  return heal({ what: partOf(kind), blob, sealed, seq, mayBeErased })
}

function partOf(kind: BlobFault['kind']): DamagedPart {
  if (kind.startsWith('Inline')) return 'inline'
  return kind.startsWith('DataKey') ? 'key' : 'blob'
}
