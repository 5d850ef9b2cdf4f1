export { WITNESS_REFUSALS, decideWitness, readAddCheckpoint } from './add-checkpoint.js';
export type { AddCheckpoint, WitnessRefusal } from './add-checkpoint.js';
export {
  cosignaturesOf,
  cosignedText,
  isTreeHead,
  logKey,
  logKeys,
  readTreeHead,
  treeHeadText,
  treeOrigin,
  treePrefix,
  verifyCheckpoint,
} from './checkpoint.js';
export type { Cosignature, TreeHead } from './checkpoint.js';
export { cosignerText, readCosigner } from './cosigner.js';
export type { Cosigner } from './cosigner.js';
export { EMPTY_ROOT, HASH_BYTES, leafHash, nodeHash, treeEntry } from './hash.js';
export { byOrigin, readLogKey, readLogList } from './log-list.js';
export type { ListedLog, LogKeys } from './log-list.js';
export {
  NOTE_ALGORITHM,
  noteKeyId,
  noteText,
  readNote,
  readSignatures,
  readVerifierKey,
  signatureLine,
  verifierKeyText,
} from './note.js';
export type { NoteKey } from './note.js';
export { consistencyPath, inclusionPath } from './range.js';
export type { LeafRange } from './range.js';
export { entryBundle, readTilePath, tilePath } from './tile-path.js';
export type { TileRequest } from './tile-path.js';
export { logSignatures, readCheckpoint } from './signed-head.js';
export type { ReadCheckpoint } from './signed-head.js';
export { sharedPath, sharedRoots } from './shared-proof.js';
export {
  TILE_WIDTH,
  appendEntries,
  edgeOf,
  perfectRoot,
  rangeHash,
  tilesOf,
  tileWidth,
  treeRoot,
} from './tiles.js';
export type { Tile, TileId, TileReader } from './tiles.js';
export { readTlogProof, tlogProofText, verifyTlogProof } from './tlog-proof.js';
export { verifyConsistency, verifyInclusion } from './verify-proof.js';
export { readWitnessPolicy } from './witness-policy.js';
export type { WitnessPolicy } from './witness-policy.js';
