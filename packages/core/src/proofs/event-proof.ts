/** Proves that the log has an event, by a checkpoint that covers it. */
import { type LogPorts, readEventBytes } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'
import type { SignedCheckpoint } from './log-signing.ts'
import { inclusionPath, type TreeHashes } from './merkle-tree.ts'
import { formatProof } from './proof-file.ts'

/** The text of the proof. `seq` is not after the checkpoint. */
export async function eventProof(
  log: LogPorts,
  hashes: TreeHashes,
  { size, text: checkpoint }: Pick<SignedCheckpoint, 'size' | 'text'>,
  seq: Seq,
): Promise<string> {
  const path = await inclusionPath(hashes, seq - 1, size)
  const event = await readEventBytes(log, seq)
  return formatProof({ event, index: seq - 1, path, checkpoint })
}
