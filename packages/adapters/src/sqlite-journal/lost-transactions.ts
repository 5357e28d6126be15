/**
 * SQLite takes the first incomplete frame of its write-ahead log for the end of the log, and ignores the rest. That is
 * right only for a commit that a power cut interrupted: a transaction begins only when the one before it was synced. So
 * a complete frame of a later transaction proves that the broken one before it had been acknowledged.
 */
import { StorageError } from '@varve/core'
import { allowing } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { readUpTo } from '../files/read-up-to.ts'
import { isSame, readWalHeader, type WalChecksum, type WalFrame, walFrames, type WalHeader } from './wal-frames.ts'

/** @throws StorageError `AcknowledgedWritesLost` */
export async function assertNoTransactionLost(fs: FileSystem, databasePath: string): Promise<void> {
  const pageSize = (await using(fs, databasePath, pageSizeOf)) ?? defaultPageSize
  const broken = await using(fs, `${databasePath}-wal`, (file) => brokenFrame(file, pageSize))
  if (broken === undefined) return
  throw new StorageError(
    'AcknowledgedWritesLost',
    `The write-ahead log of SQLite is damaged at ${broken === 0 ? 'its beginning' : `frame ${broken}`}, and whole transactions follow.`,
    { details: { kind: 'write-ahead-log', frame: broken } },
  )
}

/** The page size of databases that Varve made, and SQLite's default since 2016. */
const defaultPageSize = 4096

async function pageSizeOf(file: OpenFile): Promise<number> {
  const bytes = await readUpTo(file, 16, 2)
  const size = bytes.length < 2 ? 0 : bytes.readUInt16BE(0)
  // The largest page size does not fit into two bytes, so it is stored as 1.
  return size === 1 ? 65_536 : size < 512 ? defaultPageSize : size
}

async function using<R>(fs: FileSystem, path: string, use: (file: OpenFile) => Promise<R>): Promise<R | undefined> {
  let result: R | undefined
  await allowing('ENOENT', async () => {
    const file = await fs.open(path, 'r')
    try {
      result = await use(file)
    } finally {
      await file.close()
    }
  })
  return result
}

/** The first incomplete frame that a later, complete transaction follows; 0 if the header of the log is broken. */
async function brokenFrame(file: OpenFile, pageSize: number): Promise<number | undefined> {
  const header = await readWalHeader(file, pageSize)
  if (header === undefined) return undefined
  // Without the header, the byte order of the checksums is unknown.
  const orders = header.isSound ? [header.bigEndian] : [false, true]
  for (const bigEndian of orders) {
    const broken = await firstBroken(file, { ...header, bigEndian })
    if (broken !== undefined) return broken
  }
  return undefined
}

async function firstBroken(file: OpenFile, header: WalHeader): Promise<number | undefined> {
  const search = new BrokenFrameSearch(header)
  for await (const frame of walFrames(file, header)) if (search.provesLoss(frame)) return search.broken
  return undefined
}

class BrokenFrameSearch {
  broken: number | undefined
  readonly #header: WalHeader
  /** Checksums that the next frame may continue: the one stored before it, and the one that should be stored there. */
  #before: readonly WalChecksum[]
  #salts: WalChecksum
  /** Whether a transaction ended at or after the broken frame. */
  #committed = false

  constructor(header: WalHeader) {
    this.#header = header
    this.#before = [header.checksum]
    this.#salts = header.salts
    if (header.isSound) return
    // The header was durable before the first frame was written.
    this.broken = 0
    this.#committed = true
  }

  /** True once this frame, and with it a later transaction, is complete after the broken one. */
  provesLoss(frame: WalFrame): boolean {
    const sums = this.#before.map((before) => frame.sumAfter(before))
    const isWhole = sums.some((sum) => isSame(sum, frame.stored)) && this.#isOfThisLog(frame)
    const before = this.broken
    if (!isWhole) this.broken ??= frame.number
    // Frames of an earlier log that SQLite has not overwritten yet differ in both salts.
    const isOurs = isWhole || this.#sharesSalt(frame)
    const proved = before !== undefined && isWhole && this.#committed
    if (this.broken !== undefined && isOurs && frame.commits) this.#committed = true
    this.#before = isWhole ? [frame.stored] : [frame.stored, ...sums.slice(0, 1)]
    return proved
  }

  #isOfThisLog({ number, salts }: WalFrame): boolean {
    // Without a header, the first frame identifies the log for the frames after it.
    if (!this.#header.isSound && number === 0) this.#salts = salts
    return isSame(salts, this.#salts)
  }

  #sharesSalt({ salts }: WalFrame): boolean {
    return salts[0] === this.#salts[0] || salts[1] === this.#salts[1]
  }
}
