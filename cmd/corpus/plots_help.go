package main

// Plots in which somebody needs help. Every sentence here was written for this program.

// lost: a thing is gone and is found again.
var lost = plot{
	{"One {weather} [morning|day|afternoon], {hero} could not find {his} {colour} {thing}.",
		"{Hero} had a {colour} {thing}, but one {weather} [morning|day] it was gone.",
		"{Hero} lost {his} {colour} {thing} one {weather} [morning|day|afternoon]."},
	{"It was a present from {his} {elder}.", "{He} loved the {thing} very much.", ""},
	{"{He} looked [under the bed|behind the door|under the table|in the kitchen], but it was not there.",
		"First {he} looked [under the bed|behind the door|under the table]."},
	{"Then {he} [went|ran|walked] to {place} and looked there too.",
		"Then {he} looked {at}, but there was no {thing}."},
	{"\"Where is my {thing}?\" {he} [asked|said].", "{He} was [very |so |]sad and began to cry.", ""},
	{"{Pal} [came|ran] to help {him}.", "{His} friend {pal} saw {him} and came to help.",
		"\"I will help you,\" said {his} friend {pal}."},
	{"They looked {at2} [for a long time|together|all morning].",
		"Together they [went|walked|ran] to {place2}."},
	{"There {pal} saw {a animal} with the {thing}.",
		"There was {a animal}, and it was [sitting|sleeping] on the {thing}."},
	{"\"Here it is!\" [said|called|cried] {pal}.", "\"Look, here is your {thing}!\" [said|called|cried] {pal}."},
	{"\"Thank you,\" said {hero}, and {he} [gave {phim} a big hug|smiled at {phim}|took {his} {thing} home].",
		"{Hero} was [very |so |]happy and [gave {phim} a big hug|smiled at {phim}|thanked {phim}]."},
	{"Now {he} always puts the {thing} [in a safe place|next to {his} bed].", ""},
}

// hungry: an animal gets food and becomes a friend.
var hungry = plot{
	{"One {weather} [morning|day|afternoon], {hero} [went|walked|ran] to {place}.",
		"{Hero} liked to play {at}.", "On a {weather} [morning|day], {hero} was {at}."},
	{"There {he} [saw|met|found] {a size} {colour} {animal}.",
		"{A size} {colour} {animal} was sitting [under a tree|on a stone|in the grass]."},
	{"The {animal} was [cold|sad|tired] and [very |]hungry.", "It looked [very |so |]hungry and [sad|tired|cold]."},
	{"\"Do you want some {food}?\" [asked|said] {hero}.", "\"I have some {food} for you,\" said {hero}."},
	{"The {animal} ate [all of it|it all|all the {food}] and was [very |]happy.",
		"The {animal} ate the {food} and asked for more."},
	{"\"Thank you,\" said the {animal}. \"You are [very |so |]kind.\"",
		"\"You are [very |so |]kind,\" said the {animal}.", ""},
	{"{Hero} [gave|brought] it [water|milk] too.", ""},
	{"Then they played {at} [until it was dark|until dinner|all day].",
		"They [played|sat|walked] together [until it was dark|until dinner|all day]."},
	{"The next day {hero} came back with more {food}.", "After that, {hero} came back every day.", ""},
	{"From that day on, {hero} and the {animal} were [best|good] friends."},
}

// stuck: an animal cannot get out, and two children pull.
var stuck = plot{
	{"{Hero} and {pal} were [walking|playing] {at} one {weather} [morning|day|afternoon].",
		"One {weather} [morning|day|afternoon], {hero} and {pal} [went|walked] to {place}."},
	{"They heard a [small|sad|soft|loud] [voice|sound].", "\"Help! Help!\" called a [small|sad|soft] voice."},
	{"{A size} {animal} was stuck in [the mud|a hole|a net|a bush].",
		"It was {a animal} that was stuck in [the mud|a hole|a net|a bush]."},
	{"\"We must help it,\" said {hero}.", "\"Do not be afraid,\" said {hero}. \"We will help you.\"",
		"\"Poor {animal},\" said {pal}."},
	{"{Pal} [found|brought|got] a [long|strong] rope.", "{Pal} ran home to get a [long|strong] rope."},
	{"They pulled and pulled, but the {animal} could not get out.", ""},
	{"Then {hero} [asked|called] {his} {elder} to help.",
		"Then a {colour2} {animal2} came and pulled with them.", ""},
	{"At last the {animal} was free.", "At last the {animal} came out, and it was free."},
	{"It [jumped|danced] [for joy|in the grass] and [ran|went] home.",
		"\"Thank you, my friends,\" said the {animal}.", "The {animal} was [very |so |]happy to be free."},
	{"{Hero} and {pal} were [tired|wet] but happy.", "\"Good work,\" said {pal}, and {hero} smiled."},
	{"They went home and [ate|had] some {food}.", ""},
}

// noise: something in the dark is only an animal.
var noise = plot{
	{"It was night, and {hero} was in {his} bed.", "One [cold|windy|quiet|warm] night, {hero} could not sleep."},
	{"The moon was [big and bright|big and white|high over the house].", "It was [very |]dark in the room.", ""},
	{"Then {he} heard a [loud|soft] [noise|sound] [at the door|under the bed|at the window].",
		"There was a [loud|soft] [noise|sound] [at the door|under the bed|at the window]."},
	{"\"Who is there?\" {he} [asked|said].", "\"What was that?\" said {hero}."},
	{"Nobody [said a word|answered], but the noise came again.", ""},
	{"{He} was [afraid|very afraid|a little afraid], but {he} took {his} lamp and [looked|went to look].",
		"{Hero} took {his} lamp and [opened the door|looked out] slowly."},
	{"It was only {a size} {animal}!", "There sat {a size} {colour} {animal}, [wet|cold|hungry] and afraid."},
	{"\"[Oh, it|It] is you,\" said {hero} and laughed.", "\"Come in, little one,\" said {hero}.",
		"{Hero} laughed and was not afraid any more."},
	{"{He} gave the {animal} [some {food}|a warm blanket].", "The {animal} [ate some {food}|sat down] by the fire."},
	{"Soon they were both asleep.", "Then they [slept|both slept] until the sun came up.",
		"In the morning {he} told {his} {elder} about it."},
}
