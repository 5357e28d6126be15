import type { StoreRetention } from '@varve/core'

const stated = () => [{ keepMs: 1000, budget: { bytes: 1e12, percent: 50 } }, { graceMs: 1e9 }]

export const retentionEntries: Readonly<Record<keyof StoreRetention, () => unknown[]>> = {
  get: () => [{ bucket: 'box' }],
  set: stated,
  remove: () => [{ bucket: 'box', graceMs: 1e9 }],
  plan: stated,
}
