/** Opens an archive of any kind, by its first member. */
import { archiveCorrupt } from './archive-error.ts'
import { type ArchiveManifest, documentMax, manifestPath, readManifest, type StoreManifest } from './documents.ts'
import { TarReader } from './tar-reader.ts'

export interface OpenArchive {
  readonly tar: TarReader
  readonly manifest: ArchiveManifest | StoreManifest
}

/** The source is closed if this fails. @throws StorageError `ArchiveCorrupt`, `UnsupportedFormat` */
export async function openArchive(source: AsyncIterable<Uint8Array>): Promise<OpenArchive> {
  const tar = new TarReader(source)
  try {
    const { path } = await tar.next()
    if (path !== manifestPath) throw archiveCorrupt('order', 'its first member is no manifest of an archive', path)
    return { tar, manifest: readManifest(await tar.whole(documentMax)) }
  } catch (error) {
    await tar.close()
    throw error
  }
}
