/**
 * The position that deliveries to a webhook have reached: in a file beside the log, or in the journal that several engines
 * share. It is never ahead of the deliveries: if an update is lost, events are delivered again, never left out.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { nodeFileSystem, readSmallFile, replaceFile } from '@varve/adapters'
import type { JobName, Jobs, Seq } from '@varve/core'
import { mkdir } from '../files/patient-files.ts'

export interface Cursor {
  /** The last event that was delivered. The first time, deliveries begin at the end of the log. */
  read(end: Seq): Promise<Seq>
  write(seq: Seq): Promise<void>
}

export function fileCursor(dir: string, arn: string): Cursor {
  const directory = join(dir, 'webhooks')
  const path = join(directory, `${createHash('sha256').update(arn).digest('hex').slice(0, 32)}.json`)
  const write = async (seq: Seq): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await replaceFile(nodeFileSystem, path, `${JSON.stringify({ arn, seq })}\n`)
  }
  return {
    async read(end) {
      const text = await readSmallFile(nodeFileSystem, path)
      if (text === undefined) {
        await write(end)
        return end
      }
      // A damaged file counts as the beginning of the log: repeating events is better than losing some.
      return seqIn(text) ?? 0
    },
    write,
  }
}

export function sharedCursor({ places }: Pick<Jobs, 'places'>, name: JobName): Cursor {
  const write = (seq: Seq): Promise<void> => places.write(name, JSON.stringify({ seq }))
  return {
    async read(end) {
      const text = await places.read(name)
      if (text !== undefined) return seqIn(text) ?? 0
      await write(end)
      return end
    },
    write,
  }
}

function seqIn(text: string): Seq | undefined {
  try {
    const { seq } = JSON.parse(text) as { readonly seq?: unknown }
    return typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0 ? seq : undefined
  } catch {
    return undefined
  }
}
