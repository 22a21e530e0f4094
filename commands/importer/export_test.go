package importer

// What the tests of this package see of its inside.
const Batch = importBatch

var CategoryID = categoryID
