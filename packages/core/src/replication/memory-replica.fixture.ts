/** A replica in memory, for tests of the core. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { hashing, memoryPorts } from '../api/memory-ports.fixture.ts'
import type { Packing, ReplicaFiles } from '../ports/index.ts'
import type { ReplicaPorts } from './replica-reader.ts'

const packing: Packing = {
  pack: async (bytes) => ({ form: 'deflate', bytes: deflateRawSync(bytes) }),
  unpack: async (_form, bytes, length) =>
    Uint8Array.from(inflateRawSync(bytes, { maxOutputLength: Math.max(1, length) })),
}

export interface MemoryFiles extends ReplicaFiles {
  readonly stored: Map<string, Uint8Array>
}

function memoryFiles(stored = new Map<string, Uint8Array>()): MemoryFiles {
  return {
    stored,
    async create(name, source) {
      const chunks: Uint8Array[] = []
      for await (const chunk of source) chunks.push(Uint8Array.from(chunk))
      if (stored.has(name)) return false
      stored.set(name, Uint8Array.from(Buffer.concat(chunks)))
      return true
    },
    read: async (name, range) => stored.get(name)?.slice(range?.start, range?.end),
    async *list(prefix) {
      const names = [...stored.keys()].filter((name) => name.startsWith(prefix)).sort()
      for (const name of names) yield { name, size: stored.get(name)?.length ?? 0 }
    },
    async delete(names) {
      for (const name of names) stored.delete(name)
    },
  }
}

export interface MemoryReplica extends ReplicaPorts {
  readonly files: MemoryFiles
  readonly blobs: ReturnType<typeof memoryPorts>['blobs']
}

export const memoryReplica = (): MemoryReplica => ({
  files: memoryFiles(),
  blobs: memoryPorts().blobs,
  hashing,
  packing,
})
