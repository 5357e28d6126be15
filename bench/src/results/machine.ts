/** The machine on which the figures were measured. */
import { statfs } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import type { Machine } from './results.ts'

/** Linux's type numbers of common file systems. */
const fileSystems: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x01021994: 'tmpfs',
  0x794c7630: 'overlay',
  0x6969: 'nfs',
  0x2fc12fc1: 'zfs',
  0xf2f52010: 'f2fs',
}

export async function machineOf(directory: string): Promise<Machine> {
  const { type } = await statfs(directory)
  const fileSystem = process.platform === 'linux' ? fileSystems[type] : undefined
  return {
    platform: `${process.platform} ${release()} ${process.arch}`,
    processors: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memory: totalmem(),
    ...(fileSystem !== undefined && { fileSystem }),
  }
}
