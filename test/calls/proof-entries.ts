/** Calls of proofs, and of the functions that check them. */
import type { World } from './world.ts'

export const proofEntries = {
  key: () => [],
  checkpoint: () => [{}],
  prove: (world: World) => [{ bucket: 'box', key: world.key(), versionId: world.versionId() }],
  proveEvent: (world: World) => [1 + world.number(20), {}],
  erasure: (world: World) => [[1 + world.number(20)], {}],
  consistency: (world: World) => [world.number(3), {}],
  tile: (world: World) => [`tile/0/000.p/${1 + world.number(200)}`, {}],
  cosign: () => ['none', 'none'],
  renewKey: (world: World) => [{ origin: `log-${world.number(9)}` }],
}

export const checkEntries = {
  checkCheckpoint: () => ['log\n1\nroot\n', { key: 'log+00000000+AAAA', witnesses: [] }],
  checkErasureReceipt: () => ['varve-erasure-receipt@v1\n', { key: 'log+00000000+AAAA' }],
  checkLogConsistency: () => [{ proof: 'old 1\n', earlier: 'log\n' }, { key: 'log+00000000+AAAA' }],
  checkProof: () => ['proof', { key: 'log+00000000+AAAA', origin: 'log' }, 'bytes'],
}
