/** What a store that lost its FORMAT is made of, going by what is there. */
import { namesIn } from '../blobs/readable-blobs.ts'
import type { FileSystem } from '../files/file-system.ts'
import { isSegmentName } from '../segment-log/segment-names.ts'
import { storePaths } from '../store-directory/store-paths.ts'
import type { LayoutName } from './layout.ts'

/** Blobs in segments count as `tiered`: both kinds read what the other wrote. */
export async function detectLayout(fs: FileSystem, directory: string): Promise<LayoutName> {
  const log = await namesIn(fs, storePaths(directory).events)
  const names = await namesIn(fs, directory)
  return `${log.some(isSegmentName) ? 'segments' : 'level'}+${names.includes('segments') ? 'tiered' : 'files'}`
}
