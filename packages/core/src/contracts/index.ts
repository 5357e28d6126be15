/**
 * The test suites for adapters, which work with any test runner:
 *
 *     for (const { name, run } of journalContract) it(name, () => run(openFreshJournal))
 * @module
 */
export { blobStoreContract } from './blob-store-contract.ts'
export type { ContractCase, OpenFresh, Reopenable } from './contract.ts'
export { journalContract } from './journal-contract.ts'
export { type OpenReplicaFiles, replicaFilesContract } from './replica-files-contract.ts'
export { type EngineMachine, twoEnginesCases } from './two-engines-cases.ts'
