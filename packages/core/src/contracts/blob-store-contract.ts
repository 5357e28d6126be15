/** The promises of every `BlobStore`. Failures of the medium are tested by the adapter's own tests. */
import type { BlobStore } from '../ports/index.ts'
import { blobReadCases } from './blob-read-cases.ts'
import { blobWriteCases } from './blob-write-cases.ts'
import type { ContractCase, OpenFresh } from './contract.ts'

/** The cases that every blob store must pass. */
export const blobStoreContract: readonly ContractCase<OpenFresh<BlobStore>>[] = [...blobWriteCases, ...blobReadCases]
