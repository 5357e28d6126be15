/** The witness in a small file that is replaced atomically; writes happen one after another. */
import { StorageError, type Tip, type Witness } from '@varve/core'
import { readSmallFile, replaceFile } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { sealJson, unsealJson } from './sealed-json.ts'

export interface FileWitnessOptions {
  /** @default node:fs */
  readonly fs?: FileSystem
}

/**
 * `read` rejects with `LogCorrupt` (`details.kind` is `witness`) when the file is damaged and with `JournalFailed` when
 * it cannot be read; `write` rejects with `NoSpace` or `JournalFailed`, and then the earlier tip stays.
 */
export function fileWitness(path: string, { fs = nodeFileSystem }: FileWitnessOptions = {}): Witness {
  let turn: Promise<unknown> = Promise.resolve()
  return {
    async read() {
      const text = await onMedium('JournalFailed', 'Reading the witness', () => readSmallFile(fs, path))
      if (text === undefined) return undefined
      const fields = unsealJson(text)
      if (fields !== undefined && isTip(fields)) return { seq: fields.seq, hash: fields.hash }
      throw new StorageError('LogCorrupt', 'The witness is damaged.', { details: { kind: 'witness' } })
    },
    write({ seq, hash }) {
      const writing = turn.then(() =>
        onMedium('JournalFailed', 'Writing the witness', () => replaceFile(fs, path, sealJson({ seq, hash }))),
      )
      turn = writing.catch(() => undefined)
      return writing
    },
  }
}

const isTip = (fields: Readonly<Record<string, unknown>>): fields is Readonly<Record<string, unknown>> & Tip =>
  Number.isSafeInteger(fields['seq']) && (fields['seq'] as number) > 0 && typeof fields['hash'] === 'string'
