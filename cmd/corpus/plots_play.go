package main

// Plots in which people play, plant, bake, share and sing. Every sentence here was written for this program.

// race: two children run, one wins, both are glad.
var race = plot{
	{"{Hero} and {pal} were [good|best|old] friends.", "{Hero} had a [good|best] friend, and {phis} name was {pal}."},
	{"One {weather} [morning|day|afternoon], they were {at}.",
		"They [liked to run|played every day] {at}."},
	{"\"Let us run to {place2}!\" [said|called] {hero}.", "\"I can run [fast|very fast],\" said {hero}. \"Can you?\""},
	{"\"One, two, three, go!\" [said|called|cried] {pal}.", "\"Yes, I can,\" said {pal}.", ""},
	{"{Hero} ran as fast as the wind.", "{Hero} was fast, but {pal} was [fast too|faster]."},
	{"Then {pal} fell over a stone.", "Then {hero} fell over {a animal}.",
		"They ran past {a animal}, and the {animal} ran with them."},
	{"\"Are you well?\" asked {hero}.", "They stopped and laughed.", ""},
	{"In the end {hero} was first.", "In the end {pal} was first.", "In the end they were both first."},
	{"\"That was fun,\" said {pal}. \"Let us do it again.\"", "\"You are [very |so |]fast,\" said {hero}."},
	{"Then they sat [in the grass|under a tree|in the sun] and [ate|shared] {a fruit}.",
		"Then they were tired and went home.", ""},
}

// seed: something is planted and grows.
var seed = plot{
	{"One {weather} [morning|day] in spring, {hero} found a [small|little] seed.",
		"{Hero} had a [small|little] seed from {his} {elder}."},
	{"\"What will it be?\" [asked|said] {hero}.", "\"It is only a seed,\" said {pal}.", ""},
	{"{He} put it in the ground {at}.", "{He} made a hole {at} and put the seed in it."},
	{"Every day {he} gave it [some |]water.", "{He} gave it water every [day|morning|evening]."},
	{"But nothing came up.", "For a long time nothing came up."},
	{"\"You must wait,\" said {his} {elder}.", "\"Good things need time,\" said {his} {elder}."},
	{"Then, one {weather} [morning|day], there was a [small|little] green leaf.",
		"After a week there was a [small|little] green leaf."},
	{"{A animal} came and wanted to eat it, but {hero} said no.",
		"{A animal} sat [by|next to] it every night.", ""},
	{"The plant grew and grew until it was as tall as {hero}.", "The plant grew [day by day|all summer]."},
	{"In the summer it had a big {colour} flower.", "In the autumn it gave {him} {a fruit}."},
	{"{Hero} was [very |so |]happy and [showed it to {pal}|called {pal} to look]."},
}

// baking: a meal is made, goes a little wrong, and is good anyway.
var baking = plot{
	{"{Hero} and {his} {elder} wanted to make {dish}.", "\"Let us make {dish},\" said the {elder} of {hero}."},
	{"They needed [milk|honey|eggs|flour] and [butter|water].",
		"{Hero} got the [milk|honey|eggs|flour] and a big [spoon|bowl]."},
	{"{Hero} went to the market to buy some.", "{He} [ran|went] to the farm to get more.", ""},
	{"Then {he} met {pal}, and {phe} wanted to help too.", "[Soon|Then] {pal} came, and {phe} wanted to help.", ""},
	{"{Hero} worked until {his} hands were [white|tired].", "{His} face was white [with|from] flour."},
	{"Then {a animal} [jumped|ran] in and [ate the butter|fell into the bowl]!"},
	{"\"Oh no!\" [cried|called|said] {hero}.", "\"Stop!\" [cried|called] {hero}, but it was too late."},
	{"{His} {elder} [only |]laughed and said, \"We will do it again.\"", "So they had to [do it|begin] again."},
	{"At last the {dish} was [ready|done].", "When the sun went down, the {dish} was [ready|done]."},
	{"It was [very |so |]good.", "Everybody [had|ate|wanted] some.", "It was the best {dish} in the village."},
	{"Even the {animal} [got|had] some.", ""},
}

// sharing: one has food, the other has none.
var sharing = plot{
	{"{Hero} had {a fruit}.", "{Hero} got {a fruit} from {his} {elder}.",
		"{Hero} went for a walk with {a fruit} in {his} bag."},
	{"It was big and [sweet|yellow|red].", ""},
	{"{He} sat down {at} to eat it.", "{He} [went|walked] to {place} to eat it."},
	{"Then {pal} came, and {phe} had nothing to eat.", "There {he} [met|saw] {pal}, and {phe} was hungry."},
	{"\"Can I have some?\" [asked|said] {pal}.", "{Pal} looked at the {fruit} and said nothing."},
	{"{Hero} [did not want to share|thought about it] at first.", "\"It is mine,\" said {hero}.", ""},
	{"But then {he} cut it in two.", "Then {he} gave {phim} half of it."},
	{"\"Thank you,\" said {pal}, and they ate it together.", "They ate it together, and it was [very |so |]good."},
	{"The next day {pal} came with a basket full of {food}.", "The next day {pal} had {food}, and {hero} had nothing."},
	{"\"Now I share with you,\" {phe} said.", "{Phe} shared it with {him}."},
	{"So both of them had enough.", "It is good to share with a friend."},
}

// song: music brings people together.
var song = plot{
	{"{Hero} [liked|loved] to sing.", "{Hero} sang every [morning|day|evening]."},
	{"One {weather} [morning|day|afternoon] {he} sang {at}.", "{He} [went|walked] to {place} and began to sing."},
	{"{A animal} heard {him} and came [near|to listen].", "First {a animal} came, and then {a animal2}."},
	{"The {animal} [danced|jumped] [in the grass|on a stone|under a tree].", ""},
	{"\"What a [nice|good|sweet] song,\" said the {animal}.", "\"Please sing it again,\" said the {animal}."},
	{"Then {pal} came with a [drum|bell].", "{Pal} had a [drum|bell] and played with {him}."},
	{"[Soon|Then] all the people of the village came to listen.", "[Soon|Then] many animals came from {place2}.", ""},
	{"They [danced|sang|laughed] until [the moon came up|it was dark|the stars came out]."},
	{"\"We must do this every [day|week],\" said {pal}.", "\"This was the best day of all,\" said {hero}."},
	{"Then everybody went home and slept.", "{Hero} went home and was [very |so |]happy."},
}
