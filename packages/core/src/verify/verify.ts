/**
 * Does everything still agree? Walks the log from its first event, makes the views again beside the stored ones and
 * compares them byte for byte, and reads every blob that something names. Reports; changes nothing.
 */
import type { Engine } from '../store/engine.ts'
import type { Findings, VerifyOptions, VerifyReport } from './report.ts'
import { verifyBlobs } from './verify-blobs.ts'
import { verifyLog } from './verify-log.ts'
import { verifyViews } from './verify-views.ts'

export async function verify(engine: Engine, options: VerifyOptions = {}): Promise<VerifyReport> {
  engine.assertOpen()
  const findings: Findings = { events: 0, rows: 0, blobs: 0, bytes: 0, divergences: [] }
  // Held as a read, so that the sweep does not take away what is being looked at.
  const release = engine.reads.begin(0)
  try {
    const sound = await verifyLog(engine, options, findings)
    if (sound && options.scratch !== undefined) await verifyViews(engine, options.scratch, options, findings)
    if (options.blobs !== 'skip') await verifyBlobs(engine, options, findings)
    return { ok: findings.divergences.length === 0, ...findings }
  } finally {
    release()
  }
}
