/** The real file system, with a word in each call: to fail it, to bend its answer, and to write down what happened. */
import { basename } from 'node:path'
import type { FileSystem, OpenFile } from './file-system.ts'
import { nodeFileSystem } from './node-file-system.ts'
import { pinFile } from './pinned-file.ts'

export interface FileCall {
  /** `open`, `mkdir`, `rename`, ..., and for open files `write`, `sync`, `close`, ... */
  readonly operation: string
  /** The last name of the path. */
  readonly name: string
  /** 1 for the first call of all. */
  readonly count: number
}

export interface FaultyFileSystem {
  readonly fs: FileSystem
  /** Every call, as `operation name`. */
  readonly trace: string[]
  /** Files open at the moment. */
  readonly open: () => number
}

/**
 * `judge` may throw, wait, or answer instead of the file system by returning something. One call writes at most
 * `writeMax` bytes.
 */
export function faultyFileSystem(
  judge: (call: FileCall) => unknown,
  writeMax = Number.POSITIVE_INFINITY,
): FaultyFileSystem {
  const trace: string[] = []
  let open = 0
  async function call<T>(operation: string, path: string, work: () => Promise<T>): Promise<T> {
    const name = basename(path)
    trace.push(`${operation} ${name}`)
    const verdict = await judge({ operation, name, count: trace.length })
    return verdict === undefined ? work() : (verdict as T)
  }
  const wrap = (file: OpenFile, path: string): OpenFile => ({
    read: (...to) => call('read', path, () => file.read(...to)),
    write: (buffer, offset, length, position) =>
      call('write', path, () => file.write(buffer, offset, Math.min(length, writeMax), position)),
    stat: () => call('fstat', path, () => file.stat()),
    sync: () => call('sync', path, () => file.sync()),
    datasync: () => call('datasync', path, () => file.datasync()),
    async close() {
      // A close that fails has closed the file all the same.
      open--
      await file.close()
      await call('close', path, async () => undefined)
    },
  })
  const fs: FileSystem = {
    async open(path, flags, mode) {
      const file = await call('open', path, () => nodeFileSystem.open(path, flags, mode))
      open++
      return wrap(file, path)
    },
    mkdir: (path, mode) => call('mkdir', path, () => nodeFileSystem.mkdir(path, mode)),
    rename: (from, to) => call('rename', from, () => nodeFileSystem.rename(from, to)),
    unlink: (path) => call('unlink', path, () => nodeFileSystem.unlink(path)),
    readdir: (path) => call('readdir', path, () => nodeFileSystem.readdir(path)),
    stat: (path) => call('stat', path, () => nodeFileSystem.stat(path)),
    sizes: (paths) => call('stat', paths[0] ?? '', () => nodeFileSystem.sizes(paths)),
    statfs: (path) => call('statfs', path, () => nodeFileSystem.statfs(path)),
    pin: pinFile,
    entries: (path) => nodeFileSystem.entries(path),
  }
  return { fs, trace, open: () => open }
}

export const systemError = (code: string): Error => Object.assign(new Error(`${code}: as planned`), { code })

/** Fails one operation on files whose name fits, every time or only the first. */
export function failing(operation: string, name: RegExp, code: string, times = Number.POSITIVE_INFINITY) {
  let left = times
  return (call: FileCall): undefined => {
    if (call.operation !== operation || !name.test(call.name) || left-- <= 0) return undefined
    throw systemError(code)
  }
}
