/** What `varve/http` loads for the first server, and not when a program imports it. */
export { nodeHashing, openFilesShares } from '@varve/adapters'
export { bodyBytesFor, createFetchHandler, createHandler, serve } from '@varve/http'
export { accessLog, accessLogOptions } from './access-logs/access-logs.ts'
