/**
 * A disk whose writes can be made to fail with EIO: memory behind nbdkit's error filter, shown as a file by nbdfuse, and
 * made a block device by the loop driver. What it accepted it keeps.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from '../machine/run.ts'
import { unmount } from '../machine/unmount.ts'
import type { Kind } from '../power/loop-image.ts'

const size = '384M'

export class FaultyDevice {
  readonly mountPoint: string
  readonly #kind: Kind
  readonly #fuse: string
  readonly #trigger: string
  readonly #server: ChildProcess

  private constructor(scratch: string, kind: Kind) {
    this.#kind = kind
    this.mountPoint = join(scratch, 'mounted')
    this.#fuse = join(scratch, 'fuse')
    this.#trigger = join(scratch, 'broken')
    const disk = [
      'nbdkit',
      '-s',
      '--filter=error',
      'memory',
      size,
      'error-pwrite-rate=100%',
      `error-file=${this.#trigger}`,
    ]
    this.#server = spawn('nbdfuse', [`${this.#fuse}/`, '--command', ...disk], { stdio: 'ignore' })
  }

  /** With an empty file system on it, mounted. */
  static async make(scratch: string, kind: Kind): Promise<FaultyDevice> {
    await mkdir(join(scratch, 'fuse'))
    await mkdir(join(scratch, 'mounted'))
    const device = new FaultyDevice(scratch, kind)
    for (let tries = 0; !existsSync(device.#disk); tries++) {
      if (tries === 500) throw new Error('nbdfuse shows no disk.')
      await delay(10)
    }
    await run(`mkfs.${kind}`, '-q', kind === 'ext4' ? '-F' : '-f', device.#disk)
    await device.mount()
    return device
  }

  get #disk(): string {
    return join(this.#fuse, 'nbd')
  }

  /** From here on every write to the medium fails with EIO. */
  async break(): Promise<void> {
    await writeFile(this.#trigger, '')
  }

  async heal(): Promise<void> {
    await rm(this.#trigger, { force: true })
  }

  /** Whether the file system still takes writes: one that lost a write of its own gives up until it is mounted again. */
  async takesWrites(): Promise<boolean> {
    const path = join(this.mountPoint, 'probe')
    try {
      await writeFile(path, 'probe', { flush: true })
      await rm(path)
      return true
    } catch {
      return false
    }
  }

  async mount(): Promise<void> {
    await run('mount', '-t', this.#kind, '-o', 'loop', this.#disk, this.mountPoint)
  }

  async unmount(): Promise<void> {
    await unmount(this.mountPoint)
  }

  async remove(): Promise<void> {
    const gone = once(this.#server, 'exit')
    await this.unmount()
    await run('umount', this.#fuse)
    await gone
    for (const directory of [this.#fuse, this.mountPoint]) await rm(directory, { recursive: true, force: true })
  }
}
