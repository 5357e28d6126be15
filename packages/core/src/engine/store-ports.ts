import type {
  BlobStore,
  Ciphers,
  Clock,
  Hashing,
  Ids,
  Journal,
  Keyring,
  Reserve,
  Scratch,
  Secret,
  TimeRecord,
  Timer,
  Witness,
} from '../ports/index.ts'

/** Everything a store touches of the world. */
export interface StorePorts {
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly ids: Ids
  readonly hashing: Hashing
  /** Without one, a journal that lost its tail is not noticed. */
  readonly witness?: Witness
  /** Without one, the medium is taken to have room. */
  readonly reserve?: Reserve
  /** Without them, nothing can be encrypted. */
  readonly ciphers?: Ciphers
  /** Without one, nothing can be encrypted but with keys that clients bring. */
  readonly keyring?: Keyring
  /** Without one, the ids of uploads in progress are others each time the store is opened. */
  readonly secret?: Secret
  /** Without one, what passed while the store was closed is believed by its log alone. */
  readonly time?: TimeRecord
  /** Without one, background work cannot keep to a rate. */
  readonly timer?: Timer
  /** Opens an empty journal. Without it, `verify` compares no views unless it is given one. */
  readonly openScratch?: () => Promise<Scratch>
}
