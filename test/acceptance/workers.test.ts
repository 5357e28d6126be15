/**
 * A part of the wire tests against a server with two workers: bytes, conditions, versions, uploads and refusals. To run
 * all of them: `VARVE_ACCEPTANCE_WORKERS=2 npx vitest run test/acceptance`.
 */
import './support/with-workers.ts'
import './seed/access.test.ts'
import './seed/complete-multipart-upload.test.ts'
import './seed/delete-object.test.ts'
import './seed/looking-back.test.ts'
import './seed/states.test.ts'
import './wire/edges.test.ts'
import './wire/keys.test.ts'
