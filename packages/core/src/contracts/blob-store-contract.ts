/** Everything a `BlobStore` promises, whatever it is made of. Faults of the medium are for the adapter's own tests. */
import type { BlobStore } from '../ports/index.ts'
import { blobReadCases } from './blob-read-cases.ts'
import { blobWriteCases } from './blob-write-cases.ts'
import type { ContractCase, OpenFresh } from './contract.ts'

/** What every blob store must do, one case each. */
export const blobStoreContract: readonly ContractCase<OpenFresh<BlobStore>>[] = [...blobWriteCases, ...blobReadCases]
