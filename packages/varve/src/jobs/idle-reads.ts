/** Ends unread bodies of objects, with a warning for the programmer. */
import type { IdleRead, RequestStore } from '@varve/core'
import { rest } from './rest.ts'
import { warnOfListener } from './warn-of-listener.ts'

export interface IdleReads {
  /** How long a body may stay unread, in milliseconds; 0: for ever. */
  readonly idleMs: number
  /** Called for each body that was ended. @default a process warning */
  readonly onIdleRead?: ((read: IdleRead) => void) | undefined
}

export const defaultBodyIdleMs = 600_000
/** The longest pause between two checks, so that no body stays open for much longer than allowed. */
const everyMsMax = 60_000

/** Ends idle bodies at regular times. Resolves when the signal aborts. */
export async function expireIdleReads(
  store: RequestStore,
  { idleMs, onIdleRead }: IdleReads,
  signal: AbortSignal,
): Promise<void> {
  if (idleMs === 0) return
  const everyMs = Math.min(everyMsMax, Math.ceil(idleMs / 4))
  for (await rest(everyMs, signal); !signal.aborted; await rest(everyMs, signal)) {
    try {
      const idle = await store.expireReads(idleMs)
      if (onIdleRead === undefined) warn(idle, idleMs)
      else for (const read of idle) onIdleRead(read)
    } catch (error) {
      warnOfListener(error)
    }
  }
}

function warn([first, ...others]: readonly IdleRead[], idleMs: number): void {
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  process.emitWarning(
    `The body of ${JSON.stringify(first.key)} in ${first.bucket}${more} was not read for ${idleMs / 1000} s and is no longer held. Read bodies to their end, or close() the object.`,
    'VarveIdleReadWarning',
  )
}
