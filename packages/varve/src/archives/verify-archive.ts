/** Proves an archive without a store. */
import type { ArchiveSource, VerifyArchiveOptions } from './archive-arguments.ts'
import { type ArchiveRead, ArchiveReader } from './archive-reader.ts'
import type { ArchivedBucket, ArchiveManifest } from './documents.ts'
import { abortable, bytesOf } from './source-bytes.ts'

/** What a sound archive contains. */
export interface ArchiveVerified extends ArchiveRead, Pick<ArchiveManifest, 'contents' | 'history' | 'seq'> {
  readonly bucket: Pick<ArchivedBucket, 'createdAt' | 'name'>
}

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function verifyArchive(
  source: ArchiveSource,
  { signal, onProgress }: VerifyArchiveOptions,
): Promise<ArchiveVerified> {
  const archive = await ArchiveReader.open(abortable(bytesOf(source), signal))
  const { contents, history, seq } = archive.manifest
  try {
    const { name, createdAt } = await archive.bucket()
    const versions = archive.versions()
    let [objects, bytes] = [0, 0]
    for (;;) {
      const next = await versions.next()
      if (next.done === true) return { contents, history, seq, bucket: { name, createdAt }, ...next.value }
      if (next.value.facts.kind === 'object') objects++
      bytes += next.value.content === undefined ? 0 : (next.value.facts.size ?? 0)
      onProgress?.({ objects, bytes })
    }
  } finally {
    await archive.tar.close()
  }
}
