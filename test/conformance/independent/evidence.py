#!/usr/bin/env python3
"""Verifies the evidence of a request with nothing of Countersign: Python's standard library and openssl (and verify.py beside it).

    evidence.py EVIDENCE TRUST.json [--policy FILE] [--store DIR] [--ledger ID]

EVIDENCE is the JSON of `GET /v2/requests/{id}/evidence`, or the page that carries it. TRUST.json is the trust manifest,
obtained over a channel that you trust; the one inside is not used. --policy names the witnesses that have to have signed
(c2sp.org/tlog-policy), --store a copy of the anchor store, --ledger the ledger that you expect.

Exit code 0: it holds, and the store or the witnesses vouch for the ledger. 1: something is not what it claims to be. 2: a file
cannot be read. 3: nothing fails, and the service alone vouches, or the decision is open.

It checks signatures, digests, the chain and the tree, and that the records name each other. It does not judge deadlines,
states, schemas or what an executor may do: the verifier of Countersign does.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import sys
from datetime import datetime

from verify import (
    Refused,
    canonical,
    check_receipt,
    digest,
    head_of,
    may_sign,
    need,
    openssl_verifies,
    verify_signature,
    without_twins,
)

LARGEST = 1 << 53


class Unreadable(Exception):
    """A file that is none of those that this program reads."""


# Reading -----------------------------------------------------------------------------------------------------------

OPEN, CLOSE = '<script type="application/json" id="evidence">', "</script>"


def no_number(text):
    raise ValueError(text)


def strict(text):
    try:
        return json.loads(text, object_pairs_hook=without_twins, parse_constant=no_number)
    except (ValueError, Refused, RecursionError) as fault:
        raise Unreadable("it is not strict JSON") from fault


def read_evidence(path):
    with open(path, "rb") as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig" if content.lstrip().startswith(b"<") else "utf-8")
    except UnicodeDecodeError as fault:
        raise Unreadable("it is not UTF-8") from fault
    if text.lstrip(" \t\r\n").startswith("<"):
        text = inside(text)
    value = strict(text)
    if not (isinstance(value, dict) and {"evidence", "export", "log"} <= value.keys()):
        raise Unreadable("it is no evidence")
    return value


def inside(page):
    if page.count(OPEN) != 1:
        raise Unreadable("the page has no evidence in it, or two")
    content = page.split(OPEN)[1]
    if CLOSE not in content:
        raise Unreadable("the page was cut off")
    return re.sub(r"\\(?:u003c|[\s\S])", lambda found: "<" if found[0] == "\\u003c" else found[0], content.split(CLOSE)[0])


# Notes (c2sp.org/signed-note, tlog-checkpoint, tlog-cosignature) ---------------------------------------------------------

ED25519, COSIGNATURE = 1, 4
SPKI = bytes.fromhex("302a300506032b6570032100")


def pem_of(raw):
    return "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" % base64.b64encode(SPKI + raw).decode()


def raw_of(pem):
    der = base64.b64decode("".join(line for line in pem.splitlines() if "-----" not in line))
    need(der.startswith(SPKI) and len(der) == len(SPKI) + 32, "a key is not Ed25519")
    return der[len(SPKI):]


def one_spelling(text):
    raw = base64.b64decode(text, validate=True)
    need(base64.b64encode(raw).decode() == text, "a base64 text is spelled otherwise")
    return raw


def key_id(name, algorithm, raw):
    return hashlib.sha256(name.encode() + b"\n" + bytes([algorithm]) + raw).digest()[:4]


class Note:
    def __init__(self, text):
        parts = text.rsplit("\n\n", 1)
        need(len(parts) == 2 and text.endswith("\n"), "a checkpoint is malformed")
        self.body = parts[0] + "\n"
        self.lines = []
        for line in parts[1].split("\n")[:-1]:
            found = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/]+=*)", line)
            need(found, "a checkpoint is malformed")
            raw = one_spelling(found[2])
            need(len(raw) >= 5, "a checkpoint is malformed")
            self.lines.append((found[1], raw[:4], raw[4:]))
        need(self.lines, "a checkpoint is not signed")
        body = self.body.split("\n")
        need(len(body) == 4 and body[3] == "", "a checkpoint is malformed")
        need(re.fullmatch("0|[1-9][0-9]{0,15}", body[1]) and int(body[1]) < LARGEST, "a checkpoint is malformed")
        self.origin, self.size, self.root = body[0], int(body[1]), one_spelling(body[2])
        need(len(self.root) == 32, "a checkpoint is malformed")
        place = re.search(r"/log/([0-9a-f-]{36})/([0-9a-f-]{36})$", self.origin)
        need(place, "a checkpoint is of no log")
        self.ledger, self.generation = place.groups()

    def signed_by(self, name, raw):
        return self.origin == name and any(
            (who, key) == (name, key_id(name, ED25519, raw))
            and len(signature) == 64
            and openssl_verifies(pem_of(raw), self.body.encode(), signature)
            for who, key, signature in self.lines
        )

    def cosigned_by(self, name, raw):
        """When the witness signed, in seconds; None when it did not. A line in its name has to be its signature."""
        times = []
        for who, key, signature in self.lines:
            if (who, key) != (name, key_id(name, COSIGNATURE, raw)):
                continue
            need(len(signature) == 72, "the line of the witness %s is not its signature" % name)
            time = int.from_bytes(signature[:8], "big")
            message = "cosignature/v1\ntime %d\n%s" % (time, self.body)
            good = time < LARGEST and openssl_verifies(pem_of(raw), message.encode(), signature[8:])
            need(good, "the line of the witness %s is not its signature" % name)
            times.append(time)
        return max(times, default=None)


class Policy:
    """Witnesses and a rule, as c2sp.org/tlog-policy writes them."""

    def __init__(self, text):
        self.logs, self.witnesses, self.groups, self.quorum = [], {}, {}, None
        for line in text.split("\n"):
            word, *rest = line.split() or ["#"]
            if word.startswith("#"):
                continue
            if word == "log":
                self.logs.append(self.key(rest[0], ED25519))
            elif word == "witness":
                self.witnesses[rest[0]] = self.key(rest[1], COSIGNATURE)
            elif word == "group":
                name, wanted, *members = rest
                least = {"any": 1, "all": len(members)}.get(wanted) or int(wanted)
                if not (set(members) <= self.witnesses.keys() | self.groups.keys() and 1 <= least <= len(set(members))):
                    raise Unreadable("the policy has a group that cannot be met")
                self.groups[name] = (least, members)
            elif word == "quorum" and self.quorum is None:
                self.quorum = rest[0]
            else:
                raise Unreadable("the policy has the line %r" % line)
        if self.quorum not in {"none"} | self.witnesses.keys() | self.groups.keys():
            raise Unreadable("the policy names no quorum")

    @staticmethod
    def key(text, algorithm):
        name, identifier, material = text.split("+", 2)
        raw = base64.b64decode(material, validate=True)
        if len(raw) != 33 or raw[0] != algorithm or key_id(name, algorithm, raw[1:]).hex() != identifier:
            raise Unreadable("the policy has a malformed key")
        return name, raw[1:]

    def met(self, name, signed):
        if name in self.groups:
            least, members = self.groups[name]
            return sum(self.met(member, signed) for member in members) >= least
        return name in signed

    def vouches(self, note):
        signed = {name for name, key in self.witnesses.items() if note.cosigned_by(*key) is not None}
        return self.quorum != "none" and self.met(self.quorum, signed)


# The tree (RFC 9162) ---------------------------------------------------------------------------------------------------


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def roots_of(leaves, size, earlier, nodes):
    """The roots to which one proof for all leaves leads: of the tree, and of the smaller one that it begins with."""
    given, parts = iter(nodes), []

    def take():
        node = next(given, None)
        need(node is not None, "the proof has too few hashes")
        return node

    def into(start, end, within, is_part):
        is_earlier = earlier is not None and end <= earlier
        is_cut = earlier is not None and start < earlier < end
        if not within and not is_cut:
            found = take()
        elif end - start == 1:
            found = hashlib.sha256(b"\0" + leaves[start]).digest()
        else:
            middle = start + (1 << (end - start - 1).bit_length() - 1)
            part = is_part or is_earlier
            left = into(start, middle, [leaf for leaf in within if leaf < middle], part)
            found = node_hash(left, into(middle, end, [leaf for leaf in within if leaf >= middle], part))
        if is_earlier and not is_part:
            parts.append(found)
        return found

    root = into(0, size, sorted(leaves), False)
    need(next(given, None) is None, "the proof has too many hashes")
    smaller = None
    for part in reversed(parts):
        smaller = part if smaller is None else node_hash(part, smaller)
    return root, smaller


def check_note(text, trust, policy):
    """The note, and whether it is known that its key was good: a revoked key needs a witness who signed before."""
    note = Note(text)
    host = re.sub("^[a-z]+://", "", trust["issuer"])
    need(note.origin == "%s/log/%s/%s" % (host, note.ledger, note.generation), "a checkpoint is of another log")
    if policy and policy.logs:
        need(any(note.signed_by(*key) for key in policy.logs), "the policy names other logs")
    signers = [
        key
        for key in trust["keys"]
        if may_sign(key["key_id"], "AuditCheckpoint") and note.signed_by(note.origin, raw_of(key["public_key"]))
    ]
    need(signers, "no key of the ledger has signed the checkpoint")
    witnesses = [note.cosigned_by(*key) for key in policy.witnesses.values()] if policy else []
    first = min((time for time in witnesses if time is not None), default=None)
    dated = any("revoked_at" not in key or (first is not None and first < seconds(key["revoked_at"])) for key in signers)
    return note, dated


def seconds(moment):
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()


def check_tree(evidence, entries, anchor, trust, policy):
    log = evidence["log"]
    note, dated = check_note(log["checkpoint"], trust, policy)
    leaves = {}
    proof = anchor["proof"] if anchor and anchor["checkpoint"]["payload"]["generation"] == note.generation else []
    for entry in entries + proof:
        place = int(entry["sequence"]) - 1
        need(0 <= place < note.size, "the tree ends before entry %d" % (place + 1))
        need(re.fullmatch("sha256:[0-9a-f]{64}", entry["record_digest"]), "a digest is malformed")
        record = bytes.fromhex(entry["record_digest"][7:])
        need(leaves.setdefault(place, record) == record, "there are two records at entry %d" % (place + 1))
    opening = None
    if log["opening"] is not None:
        opening, also = check_note(log["opening"], trust, policy)
        dated = dated and also
        need(opening.origin == note.origin, "the checkpoints are of two logs")
        need(opening.size < note.size, "the log was forked or rolled back")
    raw = one_spelling(log["nodes"])
    need(len(raw) % 32 == 0, "a hash is cut off")
    nodes = [raw[at:at + 32] for at in range(0, len(raw), 32)]
    root, smaller = roots_of(leaves, note.size, opening and opening.size, nodes)
    need(root == note.root, "the entries do not lie in the tree")
    need(opening is None or smaller == opening.root, "the tree does not begin with that of the grant")
    return note, dated


# The export --------------------------------------------------------------------------------------------------------------

RECORDS = ("DecisionReceipt", "ExecutionClaim", "AdmissionStatus", "ExecutionOutcome", "ExecutionReconciliation")
LEDGER_ONLY = ("RequestChangedEvent", "MaterialDiscarded")


def members(value, names, optional=()):
    need(isinstance(value, dict) and set(names) <= value.keys() <= set(names) | set(optional), "a member is missing or unknown")


def check_record(record, request, trust, types):
    members(record, ("protected", "payload", "signature"))
    verify_signature(record, trust)
    header = record["protected"]
    need(header["type"] in types, "a record is of another type")
    for name in ("tenant", "purpose", "profiles"):
        expected = {"purpose": "service", "profiles": {}}.get(name) if header["purpose"] == "service" else None
        need(header[name] == (request[name] if expected is None else expected), "a record is of another %s" % name)
    need(record["payload"]["request_id"] == request["id"], "a record is of another request")


def check_entries(entries):
    before = None
    for entry in entries:
        sequence = int(entry["sequence"])
        need(str(sequence) == entry["sequence"], "a number is spelled otherwise")
        need(head_of(entry["previous_head"], entry["record_digest"], sequence) == entry["head"], "entry %d: its head is wrong" % sequence)
        if before is not None:
            need(sequence > int(before["sequence"]), "entry %d is out of order" % sequence)
            if sequence == int(before["sequence"]) + 1:
                need(entry["previous_head"] == before["head"], "entry %d does not continue the chain" % sequence)
        before = entry


def check_export(export, trust):
    """What is open: sentences, none of which is a fault."""
    members(export, ("request", "request_digest", "records", "audit", "anchor", "material", "verification"))
    request, open_points = export["request"], []
    need(digest(canonical(request)) == export["request_digest"], "the request has another digest")
    listed = {digest(canonical(record)): record for record in export["records"]}
    for record in export["records"]:
        check_record(record, request, trust, RECORDS)
    check_entries(export["audit"])
    texts = dict(listed)
    for entry in export["audit"]:
        if entry["record"] is None:
            continue
        need(digest(entry["record"]) == entry["record_digest"], "a record has another digest")
        record = strict(entry["record"])
        need(canonical(record) == entry["record"], "a record is not in canonical form")
        if entry["record_digest"] not in listed:
            check_record(record, request, trust, LEDGER_ONLY)
        texts[entry["record_digest"]] = record
    places = [entry["record_digest"] for entry in export["audit"]]
    need(len(set(places)) == len(places), "a record is twice in the ledger")
    need(set(listed) <= set(places), "a record has no entry in the ledger")
    check_events([texts[place] for place in places if place in texts])

    def only(kind, most=1):
        found = [record for record in export["records"] if record["protected"]["type"] == kind]
        need(most is None or len(found) <= most, "there are several records of the type %s" % kind)
        return found

    receipt, claim = (only(kind) or [None] for kind in RECORDS[:2])
    receipt, claim = receipt[0], claim[0]
    for record in texts.values():
        if "request_digest" in record["payload"]:
            need(record["payload"]["request_digest"] == export["request_digest"], "a record is of another form of the request")
    if receipt is None:
        need(claim is None and export["anchor"] is None, "the decision is missing")
        open_points.append("nothing was decided")
    elif export["anchor"] is None:
        open_points.append("the decision is not anchored yet")
    else:
        check_receipt(receipt, export["anchor"], trust)
    if claim is not None:
        need(claim["payload"]["receipt_digest"] == digest(canonical(receipt)), "the claim is of another decision")
        need(receipt["payload"]["decision"] == "authorise", "the claim is of a decision that authorises nothing")
        binding = digest(canonical(request["execution"]))
        need(claim["payload"]["execution_binding_digest"] == binding, "the claim is of another execution")
    later = only("AdmissionStatus", None) + only("ExecutionOutcome") + only("ExecutionReconciliation", None)
    for record in later:
        need(claim is not None, "there is an execution without a claim")
        need(record["payload"]["claim_digest"] == digest(canonical(claim)), "a record is of another claim")
    check_material(export, receipt)
    return open_points


def check_events(records):
    """Events are numbered without a gap, so none was left out between the first and the last."""
    revisions = [r["payload"]["revision"] for r in records if r["protected"]["type"] == "RequestChangedEvent"]
    need(revisions == list(range(1, len(revisions) + 1)), "an event of the request is missing")


def check_material(export, receipt):
    material, bound = export["material"], export["request"]["review"]
    if material is None:
        return
    need(digest(canonical(material["payload"])) == bound["payload_digest"], "the payload is another one")
    need(digest(canonical(material["response_schema"])) == bound["response_schema_digest"], "the schema is another one")
    need(digest(material["review_document"]) == bound["document_digest"], "the document is another one")
    if "bundle" in material or "bundle" in bound:
        need(digest(material["bundle"]["html"]) == bound["bundle"]["digest"], "the app is another one")
    candidate = material["candidate"]
    if candidate is None or receipt is None:
        return
    need(digest(canonical(candidate)) == receipt["payload"]["candidate_digest"], "the answer is another one")
    need(digest(canonical(candidate["response"])) == receipt["payload"]["response_digest"], "the answer is another one")


def check_remains(entries):
    for entry in entries:
        need(entry["record"] is None, "a text is there although the request is not")
    check_entries(entries)


def in_store(anchor, folder):
    path = os.path.normpath(os.path.join(folder, anchor["acceptance"]["key"]))
    need(path.startswith(os.path.normpath(folder) + os.sep), "the proof names a place outside the store")
    try:
        with open(path, "rb") as file:
            same = file.read() == canonical(anchor["checkpoint"]).encode("utf-8")
    except FileNotFoundError:
        same = False
    need(same, "the anchor store does not hold this checkpoint")
    return True


def check(evidence, trust, policy, store, ledger):
    """What is open; raises Refused."""
    members(evidence, ("evidence", "export", "log", "trust"), ("remains",))
    need(evidence["evidence"] == "countersign-evidence-1", "it is of another format")
    members(evidence["log"], ("checkpoint", "opening", "nodes"))
    export = evidence["export"]
    need((export is None) == ("remains" in evidence), "it has an export and what remains of one, or neither")
    anchor = None if export is None else export["anchor"]
    open_points = [] if export is None else check_export(export, trust)
    if export is None:
        check_remains(evidence["remains"])
    entries = evidence["remains"] if export is None else export["audit"]
    note, dated = check_tree(evidence, entries, anchor, trust, policy)
    if not dated:
        open_points.append("the key of the checkpoint was revoked, and no witness signed before")
    if anchor is not None:
        need(anchor["checkpoint"]["payload"]["ledger_id"] == note.ledger, "the anchor is of another ledger")
    need(ledger in (None, note.ledger), "it is another ledger than you expect")
    stored = store is not None and anchor is not None and in_store(anchor, store)
    if policy is not None and not policy.vouches(note) and policy.quorum != "none":
        open_points.append("too few witnesses have signed")
    if not stored and not (policy is not None and policy.vouches(note)):
        open_points.append("the service alone vouches for its ledger")
    if canonical(evidence["trust"]) != canonical(trust):
        print("note: the manifest inside differs from yours and was not used")
    return open_points


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("evidence")
    options.add_argument("trust")
    for name in ("--policy", "--store", "--ledger"):
        options.add_argument(name)
    given = options.parse_args()
    try:
        evidence = read_evidence(given.evidence)
        with open(given.trust, encoding="utf-8") as file:
            trust = strict(file.read())
        policy = None
        if given.policy is not None:
            with open(given.policy, encoding="utf-8") as file:
                policy = Policy(file.read())
    except (OSError, Unreadable) as fault:
        print("UNREADABLE: %s" % fault)
        return 2
    try:
        open_points = check(evidence, trust, policy, given.store, given.ledger)
    except Refused as refusal:
        print("FAILS: %s" % refusal)
        return 1
    except (KeyError, TypeError, ValueError, AttributeError, Unreadable) as fault:
        print("FAILS: it does not have the shape of evidence (%s)" % type(fault).__name__)
        return 1
    print("INCOMPLETE: %s" % "; ".join(open_points) if open_points else "HOLDS")
    return 3 if open_points else 0


if __name__ == "__main__":
    sys.exit(main())
