/** Files of a drop or of a file field, with their paths inside dropped folders. */

export interface NamedFile {
  readonly path: string
  readonly file: File
}

/** Reads folders, too. Must be called while the event is handled: the browser empties it afterwards. */
export async function filesIn(transfer: DataTransfer): Promise<readonly NamedFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry())
  const named = entries.flatMap((entry) => (entry === null ? [] : [entry]))
  if (named.length === 0) return namedFiles(transfer.files)
  return (await Promise.all(named.map(filesBeneath))).flat()
}

/** A file field for folders gives paths. */
export const namedFiles = (files: Iterable<File>): readonly NamedFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath, file }))

async function filesBeneath(entry: FileSystemEntry): Promise<readonly NamedFile[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ path, file }]
  }
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const files: NamedFile[] = []
  // A reader gives at most 100 entries at a time.
  for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) {
    files.push(...(await Promise.all(some.map(filesBeneath))).flat())
  }
  return files
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const entriesOf = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject))
