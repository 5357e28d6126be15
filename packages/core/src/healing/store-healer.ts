import type { Observing } from '../observing/observing.ts'
import type { Clock, Copy, Timer } from '../ports/index.ts'
import type { LogService } from '../requests/log-service.ts'
import { healBytes, type HealingPorts } from './heal-bytes.ts'
import { Healer } from './healer.ts'

interface OpenedPorts extends Pick<HealingPorts, 'journal' | 'blobs' | 'hashing' | 'ids'> {
  readonly clock: Clock
  readonly timer?: Timer
  readonly copies?: readonly Copy[]
}

/** The healer of an open store; `undefined` if there are no copies, or nothing that limits how long they may take. */
export function storeHealer(
  { clock, timer, copies = [], ...ports }: OpenedPorts,
  owner: LogService,
  observing: Observing | undefined,
): Healer | undefined {
  if (copies.length === 0 || timer === undefined) return undefined
  const parts = { ...ports, timer, copies, observing }
  return new Healer({ clock, timer, healOnce: (damaged, signal) => healBytes(parts, owner, damaged, signal) })
}
