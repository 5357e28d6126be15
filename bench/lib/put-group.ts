import type { Store } from 'varve'

interface NewObjects {
  readonly bucket: string
  keyAt(position: number): string
}

/** Puts empty objects as commands. The steps before a command do not add to the log, so they are skipped. */
export async function putGroup(store: Store, count: number, { bucket, keyAt }: NewObjects): Promise<void> {
  const first = store.seq
  const facts = {
    size: 0,
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    content: { kind: 'empty' },
    metadata: { user: [] },
  } as const
  const by = { id: 'bench', name: 'bench' }
  const put = (position: number) =>
    store.owner.submit({
      type: 'PutObject',
      data: { bucket, key: keyAt(position), facts, conditions: {} },
      meta: { by, requestId: `request-${position}` },
    })
  await Promise.all(Array.from({ length: count }, (_, i) => put(first + i)))
}
