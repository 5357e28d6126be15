/**
 * SQLite takes the first frame of its write-ahead log that is not whole for the end of the log, and what is behind it for nothing. That is
 * right of a commit that was being written when the power went, and of no other: a transaction is begun only when the one before it was
 * synced. So a frame of a later transaction, whole, proves that what is broken before it was answered once.
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

/** Of databases that Varve made, and of SQLite since 2016. */
const defaultPageSize = 4096

async function pageSizeOf(file: OpenFile): Promise<number> {
  const bytes = await readUpTo(file, 16, 2)
  const size = bytes.length < 2 ? 0 : bytes.readUInt16BE(0)
  // Two bytes have no room for the largest.
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

/** The first frame that is not whole though a later transaction is; 0 too where the beginning of the log is not. */
async function brokenFrame(file: OpenFile, pageSize: number): Promise<number | undefined> {
  const header = await readWalHeader(file, pageSize)
  if (header === undefined) return undefined
  // Without the header, the byte order of the sums is unknown.
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
  /** Checksums that the next frame may go on from: the one stored before it, and the one that should have been. */
  #before: readonly WalChecksum[]
  #salts: WalChecksum
  /** A transaction ended at or behind the frame that is broken. */
  #committed = false

  constructor(header: WalHeader) {
    this.#header = header
    this.#before = [header.checksum]
    this.#salts = header.salts
    if (header.isSound) return
    // It was durable before the first frame was written.
    this.broken = 0
    this.#committed = true
  }

  /** True once this frame, and so a transaction of its own, is whole behind what is broken. */
  provesLoss(frame: WalFrame): boolean {
    const sums = this.#before.map((before) => frame.sumAfter(before))
    const isWhole = sums.some((sum) => isSame(sum, frame.stored)) && this.#isOfThisLog(frame)
    const before = this.broken
    if (!isWhole) this.broken ??= frame.number
    // The frames of an earlier log that SQLite has not written over yet have other salts, both of them.
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
