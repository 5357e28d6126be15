import { isStorageError } from '../errors.ts'
import type { Engine } from '../store/engine.ts'
import { readLog } from '../store/log.ts'
import type { Findings, VerifyOptions } from './report.ts'

/** True when every event is there, whole, and bound to the one before. */
export async function verifyLog(engine: Engine, options: VerifyOptions, findings: Findings): Promise<boolean> {
  const total = engine.writer.committed
  try {
    for await (const { event } of readLog(engine.ports, { to: total })) {
      options.signal?.throwIfAborted()
      findings.events = event.seq
      if (event.seq % 1000 === 0) options.onProgress?.({ stage: 'log', done: event.seq, total })
    }
    return true
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt', 'UnsupportedFormat')) throw error
    findings.divergences.push({ kind: 'LogCorrupt', message: error.message, seq: Number(error.details['seq'] ?? 0) })
    return false
  }
}
