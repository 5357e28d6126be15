/** A copy of a store to damage, made whole again as cheaply as can be. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export class Workspace {
  readonly dir: string
  readonly #from: string
  readonly #blobs: readonly string[]
  readonly #asCopied = new Map<string, string>()

  constructor(from: string, dir: string) {
    this.#from = from
    this.dir = dir
    this.#blobs = namesBelow(join(from, 'blobs'))
    this.restore()
  }

  /** Undoes whatever was done. Blobs are copied again only if they changed, everything else always. */
  restore(): void {
    mkdirSync(this.dir, { recursive: true })
    for (const name of readdirSync(this.dir)) {
      if (name !== 'blobs') rmSync(join(this.dir, name), { recursive: true, force: true })
    }
    for (const name of readdirSync(this.#from)) {
      if (name !== 'blobs') cpSync(join(this.#from, name), join(this.dir, name), { recursive: true })
    }
    this.#restoreBlobs()
  }

  #restoreBlobs(): void {
    const wanted = new Set(this.#blobs)
    const root = join(this.dir, 'blobs')
    const found = new Set(namesBelow(root))
    for (const name of found) if (!wanted.has(name)) rmSync(join(root, name), { recursive: true, force: true })
    for (const name of this.#blobs) {
      const path = join(root, name)
      if (name.length === 2) {
        if (!found.has(name)) mkdirSync(path, { recursive: true })
      } else if (stampOf(path) !== (this.#asCopied.get(name) ?? '')) {
        rmSync(path, { recursive: true, force: true })
        mkdirSync(dirname(path), { recursive: true })
        copyFileSync(join(this.#from, 'blobs', name), path)
        this.#asCopied.set(name, stampOf(path))
      }
    }
  }
}

/** Sorted, so that a directory comes before what is in it. Two levels, each read once: half the price of `recursive`. */
function namesBelow(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .flatMap((entry) => {
        if (!entry.isDirectory()) return [entry.name]
        return [entry.name, ...readdirSync(join(path, entry.name)).map((name) => join(entry.name, name))]
      })
      .sort()
  } catch {
    return []
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs, nlink } = statSync(path, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs, nlink].join(' ')
  } catch {
    return 'gone'
  }
}
